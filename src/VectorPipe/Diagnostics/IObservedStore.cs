namespace VectorPipe.Diagnostics;

/// <summary>An open index or collection, of which metrics tell how large it is at the moment.</summary>
internal interface IObservedStore
{
    /// <summary>Its name among the metrics.</summary>
    string ObservedName { get; }

    /// <summary>Name of the device that reads its pages; null while there are none.</summary>
    string? ObservedDevice { get; }

    /// <summary>Bytes of files by role. Empty after it was closed.</summary>
    IEnumerable<(string Role, long Bytes)> ObservedFiles { get; }

    /// <summary>Bytes of memory by kind. Empty after it was closed.</summary>
    IEnumerable<(string Kind, long Bytes)> ObservedMemory { get; }

    /// <summary>Records by state. Empty after it was closed.</summary>
    IEnumerable<(string State, long Count)> ObservedRecords { get; }

    /// <summary>Requests that wait for a place.</summary>
    int ObservedQueue { get; }

    /// <summary>Name of the tenant that it belongs to; null for none.</summary>
    string? ObservedTenant { get; }

    /// <summary>Recall of the queries that came; null if it is not measured.</summary>
    double? ObservedRecall { get; }
}
