using Microsoft.Extensions.VectorData.ProviderServices;

namespace VectorPipe.Extensions.VectorData;

/// <summary>From records to dictionaries of their properties and back, by functions of the caller instead of reflection.</summary>
/// <param name="model">Names the properties.</param>
/// <param name="toProperties">The properties of a record, by their names.</param>
/// <param name="toRecord">A record of properties, of which each is there, though it may be null.</param>
internal sealed class RecordConverter<TRecord>(
    CollectionModel model, Func<TRecord, Dictionary<string, object?>> toProperties, Func<Dictionary<string, object?>, TRecord> toRecord)
    where TRecord : class
{
    private readonly HashSet<string> _names = [.. model.Properties.Select(property => property.ModelName)];

    /// <summary>The properties of a record.</summary>
    /// <exception cref="InvalidOperationException">There are none, or one that the definition does not have.</exception>
    public Dictionary<string, object?> PropertiesOf(TRecord record)
    {
        Dictionary<string, object?> properties = toProperties(record)
            ?? throw new InvalidOperationException($"Expected properties of a {typeof(TRecord).Name}, found null.");
        foreach (string name in properties.Keys)
        {
            if (!_names.Contains(name))
                throw new InvalidOperationException($"Expected properties {string.Join(", ", _names)}, found {name}.");
        }

        return properties;
    }

    /// <summary>Properties that all are null.</summary>
    public Dictionary<string, object?> NoProperties() => _names.ToDictionary(name => name, _ => (object?)null);

    /// <summary>The record of properties.</summary>
    /// <exception cref="InvalidOperationException">There is none.</exception>
    public TRecord RecordOf(Dictionary<string, object?> properties) => toRecord(properties)
        ?? throw new InvalidOperationException($"Expected a {typeof(TRecord).Name} of properties, found null.");
}
