using Microsoft.Win32.SafeHandles;

namespace VectorPipe.Devices.Opening;

/// <summary>A file opened for reading at any offset.</summary>
/// <param name="Handle">The open file.</param>
/// <param name="Alignment">Offsets, lengths and addresses must be multiples of this; 1 if reads go through the page cache.</param>
/// <param name="Refusal">Why reads go through the page cache; null if they bypass it.</param>
internal readonly record struct OpenedFile(SafeFileHandle Handle, int Alignment, string? Refusal);
