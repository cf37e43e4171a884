namespace VectorPipe.Pipeline.Streams;

/// <summary>A range of a file that a source wants next: a page, or any range that the device's alignment allows.</summary>
/// <param name="File">The device's file.</param>
/// <param name="Offset">First byte.</param>
/// <param name="Length">Bytes: at least 1, at most a buffer of the session.</param>
/// <param name="State">The source's own number for the range; comes back with the buffer.</param>
/// <param name="Address">Address of the bytes if they are in memory already, so that nothing is read; else 0. They must stay there until
/// the consumer is done with them.</param>
internal readonly record struct ReadRange(int File, long Offset, int Length, long State = 0, nint Address = 0);
