using System.Buffers.Binary;
using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Storage.Files;
using VectorPipe.Tests.Faults;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Importing;

/// <summary>The files of a small DiskANN index, which a test changes, and their import.</summary>
internal sealed class DiskAnnImport : IDisposable
{
    public const string DiskIndex = "ann_disk.index", Codes = "ann_pq_compressed.bin", Pivots = "ann_pq_pivots.bin";

    /// <summary>Where the record of node 3 begins: three nodes of 52 bytes lie before it.</summary>
    public const int Node3 = 4096 + (3 * 52);

    public DiskAnnImport() => Prefix = Files.Write(Folder);

    public DiskAnnTestFiles Files { get; } = new(VectorElementType.UInt8, 16, 8, 40, 5);

    public TemporaryFolder Folder { get; } = new();

    public string Prefix { get; }

    /// <summary>The directory of the imported index.</summary>
    public string Index => Folder.File("index");

    public static Exception? Catch(Action action)
    {
        try
        {
            action();
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }

    public void Import(DistanceMetric metric = DistanceMetric.L2, VectorElementType? type = VectorElementType.UInt8) =>
        new DiskAnnImporter(Index).ImportAsync(Prefix, metric, type).GetAwaiter().GetResult();

    public void Import(FaultOpener opener) =>
        new DiskAnnImporter(Index, null, FileStorageIo.Instance, opener.Open).ImportAsync(Prefix, elementType: VectorElementType.UInt8)
        .GetAwaiter().GetResult();

    public VectorFormatException Refusal(DistanceMetric metric = DistanceMetric.L2, VectorElementType? type = VectorElementType.UInt8)
    {
        var error = Assert.Throws<VectorFormatException>(() => Import(metric, type));
        AssertNothingLeft();
        return error!;
    }

    public void AssertRefused(string file, string expected, bool allowPivots = false)
    {
        VectorFormatException error = Refusal();
        Assert.That(error.Message, Does.Match(expected));
        Assert.That(error.Path, Is.EqualTo(Folder.File(file)).Or.EqualTo(allowPivots ? Folder.File(Pivots) : null));
    }

    public void AssertNothingLeft() => Assert.That(Directory.Exists(Index), Is.False, "no half-written index is left");

    /// <summary>Overwrites four bytes of a file.</summary>
    public void Change(string name, int offset, uint value)
    {
        byte[] bytes = File.ReadAllBytes(Folder.File(name));
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(offset), value);
        File.WriteAllBytes(Folder.File(name), bytes);
    }

    public void Dispose() => Folder.Dispose();
}
