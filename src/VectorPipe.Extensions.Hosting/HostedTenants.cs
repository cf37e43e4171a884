using System.Collections.Frozen;
using Microsoft.Extensions.Options;

namespace VectorPipe.Extensions.Hosting;

/// <summary>The tenants of the engine of a host, by the names that configuration gives them.</summary>
/// <remarks>Made before the collections that use them, so it ends after them. Thread-safe.</remarks>
internal sealed class HostedTenants : IDisposable
{
    private readonly VectorPipeEngine _engine;
    private readonly FrozenDictionary<string, VectorPipeEngine> _tenants;

    public HostedTenants(VectorPipeEngine engine, IOptions<VectorPipeEngineSettings> settings)
    {
        _engine = engine;
        _tenants = settings.Value.Tenants.ToFrozenDictionary(
            tenant => tenant.Key, tenant => engine.CreateTenant(tenant.Value.ToOptions(tenant.Key)), StringComparer.Ordinal);
    }

    /// <summary>The tenant of a name; the engine itself for null.</summary>
    /// <exception cref="InvalidOperationException">There is none of that name.</exception>
    public VectorPipeEngine Get(string? name) => name is null
        ? _engine
        : _tenants.GetValueOrDefault(name) ?? throw new InvalidOperationException(
            $"Expected a tenant that the engine's {nameof(VectorPipeEngineSettings.Tenants)} name, found \"{name}\".");

    public void Dispose()
    {
        foreach (VectorPipeEngine tenant in _tenants.Values)
            tenant.Dispose();
    }
}
