namespace VectorPipe.Devices.Memory;

/// <summary>Who serves the reads of a memory device.</summary>
internal enum LocalMemoryMode
{
    /// <summary>The submitting thread: a read is a copy.</summary>
    Inline = 0,

    /// <summary>Own threads behind bounded rings, as a disk behind its queues.</summary>
    Ring = 1,
}
