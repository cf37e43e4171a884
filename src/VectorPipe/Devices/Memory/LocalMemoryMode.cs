namespace VectorPipe.Devices.Memory;

/// <summary>The threads that serve the reads of a memory device.</summary>
internal enum LocalMemoryMode
{
    /// <summary>The submitting thread copies the bytes.</summary>
    Inline = 0,

    /// <summary>Dedicated threads behind bounded rings, like a disk behind its queues.</summary>
    Ring = 1,
}
