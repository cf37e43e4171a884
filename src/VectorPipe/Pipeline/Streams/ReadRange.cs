namespace VectorPipe.Pipeline.Streams;

/// <summary>A piece of a file that a source wants next: a page, or any range that the device's alignment allows.</summary>
/// <param name="File">The device's file.</param>
/// <param name="Offset">First byte.</param>
/// <param name="Length">Bytes: at least 1, at most a buffer of the session.</param>
/// <param name="State">The source's own number for it: comes back with the buffer, whatever the source has gone on to meanwhile.</param>
/// <param name="Address">Where the bytes are in memory already, so that nothing is read; 0 if they are not. They must stay until the
/// consumer has had them.</param>
internal readonly record struct ReadRange(int File, long Offset, int Length, long State = 0, nint Address = 0);
