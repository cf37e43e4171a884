namespace VectorPipe.Formats;

/// <summary>The programs that write DiskANN's disk indexes, distinguished by their headers.</summary>
internal enum DiskAnnVariant
{
    /// <summary>The C++ program.</summary>
    Cpp,

    /// <summary>An early version of the C++ program, or PipeANN, which descends from it.</summary>
    Early,

    /// <summary>The Rust program.</summary>
    Rust,
}
