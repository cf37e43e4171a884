using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.AI;
using Microsoft.Extensions.VectorData.ProviderServices;

namespace VectorPipe.Extensions.VectorData;

/// <summary>The model of a record: which of its properties are key, data and vector, checked against what a collection can store.</summary>
internal sealed class RecordModelBuilder() : CollectionModelBuilder(_options)
{
    private const string KeyTypes = "int, long, ulong, Guid, string";
    private const string DataTypes =
        "bool, short, int, long, float, double, string, Guid, DateTime, DateTimeOffset, string[], List<string>, "
        + "and what is nullable of them";

    private const string VectorTypes = "ReadOnlyMemory<float>, float[], Embedding<float>";

    private static readonly CollectionModelBuildingOptions _options = new()
    {
        RequiresAtLeastOneVector = true,
        SupportsMultipleVectors = false,
    };

    private static readonly HashSet<Type> _dataTypes =
    [
        typeof(bool), typeof(short), typeof(int), typeof(long), typeof(float), typeof(double), typeof(string), typeof(Guid),
        typeof(DateTime), typeof(DateTimeOffset), typeof(string[]), typeof(List<string>),
    ];

    /// <summary>Whether a vector property of this type holds a vector, and not something of which an embedding is made.</summary>
    public static bool IsVector(Type type)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        return type == typeof(ReadOnlyMemory<float>) || type == typeof(float[]) || type == typeof(Embedding<float>);
    }

    /// <inheritdoc/>
    protected override bool SupportsKeyAutoGeneration(Type keyPropertyType) => keyPropertyType == typeof(Guid);

    /// <inheritdoc/>
    protected override void ValidateKeyProperty(KeyPropertyModel keyProperty)
    {
        base.ValidateKeyProperty(keyProperty);
        Type type = keyProperty.Type;
        if (type != typeof(int) && type != typeof(long) && type != typeof(ulong) && type != typeof(Guid) && type != typeof(string))
            throw new NotSupportedException($"Expected the key {keyProperty.ModelName} to be one of {KeyTypes}, found {type.Name}.");
    }

    /// <inheritdoc/>
    protected override bool IsDataPropertyTypeValid(Type type, [NotNullWhen(false)] out string? supportedTypes)
    {
        supportedTypes = DataTypes;
        return _dataTypes.Contains(Nullable.GetUnderlyingType(type) ?? type);
    }

    /// <inheritdoc/>
    protected override bool IsVectorPropertyTypeValid(Type type, [NotNullWhen(false)] out string? supportedTypes)
    {
        supportedTypes = VectorTypes;
        return IsVector(type);
    }
}
