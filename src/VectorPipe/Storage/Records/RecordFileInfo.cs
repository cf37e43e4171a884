using System.Globalization;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;

namespace VectorPipe.Storage.Records;

/// <summary>All that a manifest keeps of a set of records: it opens and identifies their two files.</summary>
/// <param name="Identity">Identity from which those of the files were derived; not 0.</param>
/// <param name="Heap">The file of the records.</param>
/// <param name="HeapBytes">Bytes of its stream.</param>
/// <param name="Directory">The file that leads from handles to records.</param>
/// <param name="Shape">The parameters of the directory; its entries are the records.</param>
internal sealed record RecordFileInfo(ulong Identity, FileEntry Heap, long HeapBytes, FileEntry Directory, KeyDirectoryShape Shape)
{
    /// <summary>Name of the file of the records of a generation.</summary>
    public static string HeapName(uint generation) => $"records-{Number(generation)}.vp";

    /// <summary>Name of the directory of the records of a generation.</summary>
    public static string DirectoryName(uint generation) => $"recordkeys-{Number(generation)}.vp";

    private static string Number(uint generation) => generation.ToString("D6", CultureInfo.InvariantCulture);
}
