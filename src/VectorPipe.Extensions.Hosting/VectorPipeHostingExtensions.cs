using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace VectorPipe.Extensions.Hosting;

/// <summary>Collections, and the engine that they share, as services of a host.</summary>
public static class VectorPipeHostingExtensions
{
    /// <summary>Adds the engine that all collections of the host share, as the singleton <see cref="VectorPipeEngine"/>.</summary>
    /// <remarks>
    /// The host validates the settings when it starts, and disposes the engine after all collections. All calls together set up one
    /// engine. It takes the place of one that was added before.
    /// </remarks>
    /// <param name="services">The services.</param>
    /// <returns>A builder that adds collections.</returns>
    public static VectorPipeBuilder AddVectorPipe(this IServiceCollection services)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.AddOptions<VectorPipeEngineSettings>().ValidateOnStart();
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<VectorPipeEngineSettings>, EngineSettingsValidator>());
        services.RemoveAll<VectorPipeEngine>();
        services.AddSingleton(
            provider => new VectorPipeEngine(provider.GetRequiredService<IOptions<VectorPipeEngineSettings>>().Value.ToOptions()));
        return new VectorPipeBuilder(services);
    }

    /// <summary>Adds the engine that all collections of the host share, as <see cref="AddVectorPipe(IServiceCollection)"/>.</summary>
    /// <param name="services">The services.</param>
    /// <param name="section">The settings, as <see cref="VectorPipeEngineSettings"/> names them.</param>
    /// <returns>A builder that adds collections.</returns>
    public static VectorPipeBuilder AddVectorPipe(this IServiceCollection services, IConfigurationSection section)
    {
        ArgumentNullException.ThrowIfNull(section);
        VectorPipeBuilder builder = services.AddVectorPipe();
        services.AddOptions<VectorPipeEngineSettings>().Bind(section);
        return builder;
    }

    /// <summary>Adds the engine that all collections of the host share, as <see cref="AddVectorPipe(IServiceCollection)"/>.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Sets the settings, on top of what was set before.</param>
    /// <returns>A builder that adds collections.</returns>
    public static VectorPipeBuilder AddVectorPipe(this IServiceCollection services, Action<VectorPipeEngineSettings> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        VectorPipeBuilder builder = services.AddVectorPipe();
        services.AddOptions<VectorPipeEngineSettings>().Configure(configure);
        return builder;
    }

    /// <summary>Adds a collection, as a keyed singleton <see cref="VectorCollection{TKey}"/>.</summary>
    /// <remarks>
    /// The host validates the settings and opens the collection, creating it if need be, before any other service starts. A search
    /// warms it up. It is flushed and closed after all other services have stopped. Ask for it with
    /// <c>[FromKeyedServices(name)] VectorCollection&lt;TKey&gt;</c>; for a service that is made before the start it is opened at once. All
    /// collections share the service <see cref="VectorPipeEngine"/>: one with the defaults, unless <c>AddVectorPipe</c> sets it up or the
    /// program adds one of its own.
    /// </remarks>
    /// <typeparam name="TKey">Type of its keys: int, long, ulong, Guid or string.</typeparam>
    /// <param name="services">The services.</param>
    /// <param name="name">Key of the service, and name of the settings.</param>
    /// <param name="section">The settings, as <see cref="VectorCollectionSettings"/> names them.</param>
    /// <returns><paramref name="services"/>.</returns>
    /// <exception cref="ArgumentException">The name is empty, or was added with keys of another type.</exception>
    public static IServiceCollection AddVectorCollection<TKey>(this IServiceCollection services, string name, IConfigurationSection section)
        where TKey : notnull
    {
        ArgumentNullException.ThrowIfNull(section);
        services.AddOptions<VectorCollectionSettings>(name).Bind(section);
        return services.AddVectorCollection<TKey>(name, _ => { });
    }

    /// <summary>Adds a collection, as a keyed singleton <see cref="VectorCollection{TKey}"/>.</summary>
    /// <typeparam name="TKey">Type of its keys: int, long, ulong, Guid or string.</typeparam>
    /// <param name="services">The services.</param>
    /// <param name="name">Key of the service, and name of the settings.</param>
    /// <param name="configure">Sets the settings, on top of what was set before: all calls with a name set up one collection.</param>
    /// <returns><paramref name="services"/>.</returns>
    /// <exception cref="ArgumentException">The name is empty, or was added with keys of another type.</exception>
    public static IServiceCollection AddVectorCollection<TKey>(
        this IServiceCollection services, string name, Action<VectorCollectionSettings> configure)
        where TKey : notnull
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        ArgumentNullException.ThrowIfNull(configure);
        Type? before = services.Where(service => service.IsKeyedService && service.ServiceKey is string key && key == name)
            .Select(service => service.ServiceType)
            .FirstOrDefault(type => type.IsGenericType && type.GetGenericTypeDefinition() == typeof(HostedCollection<>));
        if (before is not null && before != typeof(HostedCollection<TKey>))
        {
            throw new ArgumentException(
                $"Expected keys of {before.GetGenericArguments()[0].Name}, as \"{name}\" was added before, found {typeof(TKey).Name}.",
                nameof(name));
        }

        services.AddOptions<VectorCollectionSettings>(name).Configure(configure).ValidateOnStart();
        if (before is not null)
            return services;
        services.TryAddSingleton(_ => new VectorPipeEngine());
        services.TryAddSingleton<HostedTenants>();
        services.AddSingleton<IValidateOptions<VectorCollectionSettings>>(
            provider => new SettingsValidator(name, provider.GetRequiredService<IOptions<VectorPipeEngineSettings>>()));
        services.AddKeyedSingleton(name, (provider, _) => new HostedCollection<TKey>(
            name, provider.GetRequiredService<IOptionsMonitor<VectorCollectionSettings>>(),
            provider.GetRequiredService<HostedTenants>(), provider.GetService<ILoggerFactory>()));
        services.AddSingleton<IHostedService>(provider => provider.GetRequiredKeyedService<HostedCollection<TKey>>(name));
        services.AddSingleton<IHostedCollection>(provider => provider.GetRequiredKeyedService<HostedCollection<TKey>>(name));

        // A singleton: a scope that handed it out would close it at its own end.
        services.AddKeyedSingleton(name, (provider, _) => provider.GetRequiredKeyedService<HostedCollection<TKey>>(name).Collection);
        return services;
    }

    /// <summary>Adds a check of all collections, which says for each how many records it has and how many writes wait.</summary>
    /// <remarks>
    /// Unhealthy while one is not open, is read-only after an error, or cannot read because its device fails: that is tried with one
    /// search. Degraded while the maintenance of one fails or is behind its writes, or while one reads without io_uring where it exists.
    /// </remarks>
    /// <param name="builder">The health checks.</param>
    /// <param name="name">Name of the check.</param>
    /// <param name="failureStatus">What a failure is reported as; null for unhealthy.</param>
    /// <param name="tags">Tags of the check, such as "ready"; null for none.</param>
    /// <returns><paramref name="builder"/>.</returns>
    public static IHealthChecksBuilder AddVectorCollections(
        this IHealthChecksBuilder builder, string name = "vectorpipe", HealthStatus? failureStatus = null, IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Add(new HealthCheckRegistration(
            name, provider => new CollectionHealthCheck(provider.GetServices<IHostedCollection>()), failureStatus, tags));
    }

    /// <summary>Adds a check of a collection that the program, or a store of Microsoft.Extensions.VectorData, opens itself.</summary>
    /// <remarks>
    /// It reports what <see cref="AddVectorCollections"/> reports of collections of the host. An error of the device stays until a search
    /// of the program has read again.
    /// </remarks>
    /// <param name="builder">The health checks.</param>
    /// <param name="name">Name of the check, and of the collection in its report.</param>
    /// <param name="status">Returns the state of the collection now, null while it is not open. It may be called from several threads at
    /// once.</param>
    /// <param name="failureStatus">What a failure is reported as; null for unhealthy.</param>
    /// <param name="tags">Tags of the check, such as "ready"; null for none.</param>
    /// <returns><paramref name="builder"/>.</returns>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    public static IHealthChecksBuilder AddVectorCollection(
        this IHealthChecksBuilder builder, string name, Func<IServiceProvider, CollectionStatus?> status,
        HealthStatus? failureStatus = null, IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        ArgumentNullException.ThrowIfNull(status);
        return builder.Add(new HealthCheckRegistration(
            name, provider => new CollectionHealthCheck([new OwnCollection(name, () => status(provider))]), failureStatus, tags));
    }
}
