using System.IO.Compression;

namespace VectorPipe.Tool.Inputs;

/// <summary>An archive of arrays of NumPy, as <c>savez</c> and <c>savez_compressed</c> write it.</summary>
internal static class NpzFile
{
    private const string Extension = ".npy";

    /// <summary>Opens an array: the one of the name, or the only one.</summary>
    /// <exception cref="UsageException">There is none, or several without a name; or the file is no archive.</exception>
    public static async Task<NpySource> OpenAsync(InputName name, CancellationToken cancellationToken)
    {
        ZipArchive archive = Open(name.Path);
        try
        {
            ZipArchiveEntry entry = Find(archive, name);
            string place = $"'{name.Path}:{NameOf(entry)}'";
            Stream stream = await entry.OpenAsync(cancellationToken);
            NpyArray array = await NpyArray.ReadAsync(stream, place, cancellationToken);
            return await NpySource.CreateAsync(stream, entry.Length, array, archive, cancellationToken);
        }
        catch (Exception e)
        {
            await archive.DisposeAsync();
            if (e is InvalidDataException)
                throw Damaged(name.Path, e);
            throw;
        }
    }

    private static ZipArchive Open(string path)
    {
        try
        {
            return ZipFile.OpenRead(path);
        }
        catch (InvalidDataException e)
        {
            throw Damaged(path, e);
        }
    }

    private static ZipArchiveEntry Find(ZipArchive archive, InputName name)
    {
        ZipArchiveEntry[] arrays = [.. archive.Entries.Where(entry => entry.FullName.EndsWith(Extension, StringComparison.Ordinal))];
        string found = arrays.Length == 0 ? "none" : string.Join(", ", arrays.Select(NameOf));
        if (name.Member is not { } member)
        {
            return arrays.Length == 1 ? arrays[0] : throw new UsageException(
                $"'{name.Path}': expected one array, or the name of one as in '{name.Path}:name'; found {found}.");
        }

        return arrays.FirstOrDefault(entry => NameOf(entry) == member)
            ?? throw new UsageException($"'{name.Path}': expected an array '{member}'; found {found}.");
    }

    private static string NameOf(ZipArchiveEntry entry) => entry.FullName[..^Extension.Length];

    private static UsageException Damaged(string path, Exception e) =>
        new($"'{path}': expected an archive of arrays of NumPy; found none, or a damaged one: {e.Message.TrimEnd('.')}.", e);
}
