using System.IO.Compression;
using System.Runtime.InteropServices;
using System.Text;

namespace VectorPipe.Tool.Tests.Infrastructure;

/// <summary>Arrays of NumPy that tests write.</summary>
internal static class TestArrays
{
    public static void Write<T>(string path, string type, string shape, bool isFortran, params T[] elements)
        where T : unmanaged => File.WriteAllBytes(path, Encode(type, shape, isFortran, elements));

    public static void WriteArchive(string path, CompressionLevel level, params (string Name, byte[] Array)[] arrays)
    {
        using ZipArchive archive = ZipFile.Open(path, ZipArchiveMode.Create);
        foreach ((string name, byte[] array) in arrays)
        {
            using Stream entry = archive.CreateEntry($"{name}.npy", level).Open();
            entry.Write(array);
        }
    }

    public static byte[] Encode<T>(string type, string shape, bool isFortran, params T[] elements)
        where T : unmanaged
    {
        string header = $"{{'descr': '{type}', 'fortran_order': {(isFortran ? "True" : "False")}, 'shape': {shape}, }}\n";
        return
        [
            0x93, (byte)'N', (byte)'U', (byte)'M', (byte)'P', (byte)'Y', 1, 0, .. BitConverter.GetBytes((ushort)header.Length),
            .. Encoding.ASCII.GetBytes(header), .. MemoryMarshal.AsBytes<T>(elements),
        ];
    }
}
