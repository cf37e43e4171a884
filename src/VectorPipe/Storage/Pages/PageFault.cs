namespace VectorPipe.Storage.Pages;

/// <summary>Why a page is rejected.</summary>
internal enum PageFault
{
    None,

    /// <summary>Only zeros: the page was never written.</summary>
    Zeroed,

    /// <summary>The bytes differ from those that were written.</summary>
    Checksum,

    /// <summary>An intact page of another file.</summary>
    ForeignFile,

    /// <summary>An intact page of another place.</summary>
    Misplaced,

    /// <summary>An intact page of another generation.</summary>
    Stale,

    /// <summary>An intact page of another kind.</summary>
    Kind,

    /// <summary>The payload length exceeds the page.</summary>
    Length,
}
