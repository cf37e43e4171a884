using System.Text;
using Microsoft.Extensions.Options;

namespace VectorPipe.Extensions.Hosting;

/// <summary>Says what is wrong in the settings of a collection, all of it at once, before anything is opened.</summary>
internal sealed class SettingsValidator(string collection, IOptions<VectorPipeEngineSettings> engine)
    : IValidateOptions<VectorCollectionSettings>
{
    private const int MaxAttributes = 64;
    private const int MaxNameBytes = 128;

    private static readonly UTF8Encoding _strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <inheritdoc/>
    public ValidateOptionsResult Validate(string? name, VectorCollectionSettings options)
    {
        if (name != collection)
            return ValidateOptionsResult.Skip;
        var failures = new Failures($"Collection \"{collection}\"");
        failures.Require(!string.IsNullOrWhiteSpace(options.Directory), nameof(options.Directory), "the path of a directory", "none");
        failures.Require(options.Dimension is >= 1 and <= 32_768, nameof(options.Dimension), "1 to 32,768", options.Dimension);
        failures.RequireDefined(options.Metric, nameof(options.Metric));
        failures.RequireDefined(options.ElementType, nameof(options.ElementType));
        failures.RequireDefined(options.Durability, nameof(options.Durability));
        failures.Require(options.CacheBytes >= 0, nameof(options.CacheBytes), "0 or more", options.CacheBytes);
        failures.Require(
            options.Attributes.Count <= MaxAttributes, nameof(options.Attributes), "at most 64 attributes", options.Attributes.Count);
        foreach ((string attribute, AttributeType type) in options.Attributes)
        {
            failures.Require(IsName(attribute), nameof(options.Attributes), "names of 1 to 128 bytes of UTF-8", $"\"{attribute}\"");
            failures.RequireDefined(type, $"{nameof(options.Attributes)}:{attribute}");
        }

        if (options.Tenant is { } tenant && TenantNames() is { } names)
        {
            failures.Require(
                names.Contains(tenant), nameof(options.Tenant),
                names.Length == 0 ? "none, as the engine has no tenants" : $"a tenant of the engine, {string.Join(", ", names)}",
                $"\"{tenant}\"");
        }

        return failures.Result;
    }

    /// <summary>The names of the tenants; null if the settings of the engine are wrong, which its own validator says.</summary>
    private string[]? TenantNames()
    {
        try
        {
            return [.. engine.Value.Tenants.Keys.Order(StringComparer.Ordinal)];
        }
        catch (OptionsValidationException)
        {
            return null;
        }
    }

    private static bool IsName(string name)
    {
        try
        {
            return _strict.GetByteCount(name) is >= 1 and <= MaxNameBytes;
        }
        catch (EncoderFallbackException)
        {
            return false;
        }
    }
}
