using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace VectorPipe.Extensions.Hosting;

/// <summary>The health of collections together.</summary>
internal sealed class CollectionHealthCheck(IEnumerable<IHostedCollection> collections) : IHealthCheck
{
    /// <inheritdoc/>
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        HealthStatus health = HealthStatus.Healthy;
        List<string> reasons = [];
        Dictionary<string, object> data = [];
        Exception? cause = null;
        foreach (IHostedCollection collection in collections)
        {
            CollectionStatus? status = collection.Status;
            data[collection.Name] = Describe(status);
            (HealthStatus found, string? reason, Exception? error) = status switch
            {
                null => (context.Registration.FailureStatus, "is not open", null),
                { WriteError: { } e } => (context.Registration.FailureStatus, $"is read-only after an error: {e.Message}", e),
                { RebuildError: { } e } => (HealthStatus.Degraded, $"could not take in its writes: {e.Message}", e),
                { DeviceFallback: { } why } => (HealthStatus.Degraded, $"reads without io_uring: {why}", null),
                _ => (HealthStatus.Healthy, null, (Exception?)null),
            };
            if (reason is null)
                continue;
            reasons.Add($"\"{collection.Name}\" {reason}");
            cause ??= error;
            health = (HealthStatus)Math.Min((int)health, (int)found);
        }

        return Task.FromResult(new HealthCheckResult(health, reasons.Count == 0 ? null : string.Join("; ", reasons), cause, data));
    }

    private static string Describe(CollectionStatus? status) => status is null
        ? "not open"
        : string.Create(
            CultureInfo.InvariantCulture,
            $"{status.Count} records, {status.Waiting} writes wait ({status.WaitingBytes} bytes), generation {status.Generation}, "
            + $"{status.MemoryBytes} bytes of memory{(status.IsRebuilding ? ", maintenance is running" : "")}");
}
