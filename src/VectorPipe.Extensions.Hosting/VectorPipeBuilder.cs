using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;

namespace VectorPipe.Extensions.Hosting;

/// <summary>Adds collections that share the engine of a host, see <see cref="VectorPipeHostingExtensions"/>.</summary>
public sealed class VectorPipeBuilder
{
    internal VectorPipeBuilder(IServiceCollection services) => Services = services;

    /// <summary>The services of the host.</summary>
    public IServiceCollection Services { get; }

    /// <summary>Adds a collection, as a keyed singleton <see cref="VectorCollection{TKey}"/>.</summary>
    /// <typeparam name="TKey">Type of its keys: int, long, ulong, Guid or string.</typeparam>
    /// <param name="name">Key of the service, and name of the settings.</param>
    /// <param name="section">The settings, as <see cref="VectorCollectionSettings"/> names them.</param>
    /// <returns>This builder.</returns>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    public VectorPipeBuilder AddCollection<TKey>(string name, IConfigurationSection section)
        where TKey : notnull
    {
        Services.AddVectorCollection<TKey>(name, section);
        return this;
    }

    /// <summary>Adds a collection, as a keyed singleton <see cref="VectorCollection{TKey}"/>.</summary>
    /// <typeparam name="TKey">Type of its keys: int, long, ulong, Guid or string.</typeparam>
    /// <param name="name">Key of the service, and name of the settings.</param>
    /// <param name="configure">Sets the settings, on top of what configuration sets.</param>
    /// <returns>This builder.</returns>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    public VectorPipeBuilder AddCollection<TKey>(string name, Action<VectorCollectionSettings> configure)
        where TKey : notnull
    {
        Services.AddVectorCollection<TKey>(name, configure);
        return this;
    }
}
