using Microsoft.Extensions.Options;

namespace VectorPipe.Extensions.Hosting;

/// <summary>Says what is missing in the settings of a collection, before anything is opened.</summary>
internal sealed class SettingsValidator(string collection) : IValidateOptions<VectorCollectionSettings>
{
    /// <inheritdoc/>
    public ValidateOptionsResult Validate(string? name, VectorCollectionSettings options)
    {
        if (name != collection)
            return ValidateOptionsResult.Skip;
        List<string> failures = [];
        if (string.IsNullOrWhiteSpace(options.Directory))
            failures.Add($"Collection \"{collection}\": expected {nameof(options.Directory)}, found none.");
        if (options.Dimension is < 1 or > 32_768)
            failures.Add($"Collection \"{collection}\": expected {nameof(options.Dimension)} from 1 to 32,768, found {options.Dimension}.");
        if (options.CacheBytes < 0)
            failures.Add($"Collection \"{collection}\": expected {nameof(options.CacheBytes)} from 0 on, found {options.CacheBytes}.");
        return failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);
    }
}
