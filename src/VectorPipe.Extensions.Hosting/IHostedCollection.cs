namespace VectorPipe.Extensions.Hosting;

/// <summary>A collection, whatever its keys are: what a health check asks.</summary>
internal interface IHostedCollection
{
    /// <summary>Its name.</summary>
    string Name { get; }

    /// <summary>Its state; null while it is not open.</summary>
    CollectionStatus? Status { get; }

    /// <summary>Searches once, so that <see cref="Status"/> says how the device is after an error; errors are in the status.</summary>
    Task TryAsync(CancellationToken cancellationToken);
}
