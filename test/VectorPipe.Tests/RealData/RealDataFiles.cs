using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Tests.RealData;

/// <summary>Finds real data sets in a directory that an environment variable names, or skips the test.</summary>
internal static class RealDataFiles
{
    private const string Variable = "VECTORPIPE_DATA";

    /// <summary>Path of a file; skips the test if the file is absent.</summary>
    public static string PathOrIgnore(string name)
    {
        string? directory = Environment.GetEnvironmentVariable(Variable);
        if (string.IsNullOrEmpty(directory))
            Assert.Ignore($"{Variable} is not set: it names a directory with {name}.");
        string path = Path.Combine(directory!, name);
        if (!File.Exists(path))
            Assert.Ignore($"{path} does not exist.");
        return path;
    }

    /// <summary>The first rows of a file in sequence; skips the test if the file is absent.</summary>
    public static async Task<byte[]> RowsOrIgnoreAsync(string name, int count)
    {
        await using VectorFileReader reader = await VectorFileReader.OpenAsync(PathOrIgnore(name));
        Assert.That(reader.Count, Is.GreaterThanOrEqualTo(count), name);
        int rowBytes = reader.Dimension * reader.ElementType.SizeInBytes();
        byte[] rows = new byte[count * rowBytes];
        int filled = 0;
        while (filled < count)
        {
            int read = await reader.ReadAsync(rows.AsMemory(filled * rowBytes));
            Assert.That(read, Is.GreaterThan(0), $"{name} ends early");
            filled += read;
        }

        return rows;
    }
}
