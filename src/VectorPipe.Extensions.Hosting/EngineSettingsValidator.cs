using Microsoft.Extensions.Options;

namespace VectorPipe.Extensions.Hosting;

/// <summary>Says what is wrong in the settings of the engine, all of it at once, before the engine is made.</summary>
internal sealed class EngineSettingsValidator : IValidateOptions<VectorPipeEngineSettings>
{
    /// <inheritdoc/>
    public ValidateOptionsResult Validate(string? name, VectorPipeEngineSettings options)
    {
        var failures = new Failures("Engine");
        failures.Require(options.SearchThreads is >= 1 and <= 1024, nameof(options.SearchThreads), "1 to 1,024", options.SearchThreads);
        failures.RequireDefined(options.DeviceKind, nameof(options.DeviceKind));
        failures.Require(
            options.MaxQueuedQueries is >= 1 and <= 1_000_000, nameof(options.MaxQueuedQueries), "1 to 1,000,000",
            options.MaxQueuedQueries);
        failures.Require(
            options.MemoryLimitBytes is null or >= 1, nameof(options.MemoryLimitBytes), "1 or more, or none", options.MemoryLimitBytes);
        foreach ((string tenant, VectorPipeTenantSettings limits) in options.Tenants)
        {
            string setting = $"{nameof(options.Tenants)}:{tenant}";
            failures.Require(!string.IsNullOrWhiteSpace(tenant), nameof(options.Tenants), "a name for each", $"\"{tenant}\"");
            failures.Require(
                limits.MaxQueuedQueries is >= 1 and <= 1_000_000, $"{setting}:{nameof(limits.MaxQueuedQueries)}", "1 to 1,000,000",
                limits.MaxQueuedQueries);
            failures.Require(
                limits.MemoryLimitBytes is null or >= 1, $"{setting}:{nameof(limits.MemoryLimitBytes)}", "1 or more, or none",
                limits.MemoryLimitBytes);
        }

        return failures.Result;
    }
}
