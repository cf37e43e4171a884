using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace VectorPipe.Extensions.Hosting;

/// <summary>The health of collections together.</summary>
internal sealed class CollectionHealthCheck(IEnumerable<IHostedCollection> collections) : IHealthCheck
{
    /// <inheritdoc/>
    public async Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        HealthStatus health = HealthStatus.Healthy;
        List<string> reasons = [];
        Dictionary<string, object> data = [];
        Exception? cause = null;
        foreach (IHostedCollection collection in collections)
        {
            CollectionStatus? status = collection.Status;
            if (status is { DeviceError: not null })
            {
                // An application that is reported as unhealthy may get no request that would find the device well again.
                await collection.TryAsync(cancellationToken).ConfigureAwait(false);
                status = collection.Status;
            }

            data[collection.Name] = Describe(status);
            (HealthStatus found, string? reason, Exception? error) = status switch
            {
                null => (context.Registration.FailureStatus, "is not open", null),
                { WriteError: { } e } => (context.Registration.FailureStatus, $"is read-only after an error: {e.Message}", e),
                { DeviceError: { } e } => (context.Registration.FailureStatus, $"cannot read: {e.Message}", e),
                { RebuildError: { } e } => (HealthStatus.Degraded, $"could not take in its writes: {e.Message}", e),
                { IsThrottled: true } =>
                    (HealthStatus.Degraded, $"gets writes faster than it takes them in: {status.Waiting} wait", null),
                { DeviceFallback: { } why } => (HealthStatus.Degraded, $"reads without io_uring: {why}", null),
                _ => (HealthStatus.Healthy, null, (Exception?)null),
            };
            if (reason is null)
                continue;
            reasons.Add($"\"{collection.Name}\" {reason}");
            cause ??= error;
            health = (HealthStatus)Math.Min((int)health, (int)found);
        }

        return new HealthCheckResult(health, reasons.Count == 0 ? null : string.Join("; ", reasons), cause, data);
    }

    private static string Describe(CollectionStatus? status) => status is null
        ? "not open"
        : string.Create(
            CultureInfo.InvariantCulture,
            $"{status.Count} records, {status.Waiting} writes wait ({status.WaitingBytes} bytes), generation {status.Generation}, "
            + $"{status.MemoryBytes} bytes of memory{(status.IsRebuilding ? ", maintenance is running" : "")}");
}
