using VectorPipe.Storage.Records;

namespace VectorPipe.Tests.Storage.Records;

internal static class RecordFileBytes
{
    /// <summary>The body of a record in an array of its own; null if there is none.</summary>
    public static byte[]? FindBytes(this RecordFile file, ulong handle) => file.Find(handle)?.ToArray();
}
