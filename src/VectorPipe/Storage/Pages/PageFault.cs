namespace VectorPipe.Storage.Pages;

/// <summary>Why a page is not believed.</summary>
internal enum PageFault
{
    /// <summary>It is believed.</summary>
    None,

    /// <summary>Nothing but zeros: the write never happened.</summary>
    Zeroed,

    /// <summary>The bytes are not those that were written.</summary>
    Checksum,

    /// <summary>An intact page of another file.</summary>
    ForeignFile,

    /// <summary>An intact page of another place.</summary>
    Misplaced,

    /// <summary>An intact page of another generation.</summary>
    Stale,

    /// <summary>An intact page of another kind.</summary>
    Kind,

    /// <summary>The payload would reach beyond the page.</summary>
    Length,
}
