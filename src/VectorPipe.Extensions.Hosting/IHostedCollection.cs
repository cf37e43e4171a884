namespace VectorPipe.Extensions.Hosting;

/// <summary>A collection, whatever its keys are: what a health check asks.</summary>
internal interface IHostedCollection
{
    /// <summary>Its name.</summary>
    string Name { get; }

    /// <summary>Its state; null while it is not open.</summary>
    CollectionStatus? Status { get; }
}
