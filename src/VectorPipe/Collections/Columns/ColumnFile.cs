using System.Globalization;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Records;

namespace VectorPipe.Collections.Columns;

/// <summary>The attributes of the records that a build took, by internal id; see docs/format.md#columns.</summary>
/// <remarks>Thread-safe. A search that needs them reads all of them: some bytes a row, in place of all keys and all records.</remarks>
internal sealed class ColumnFile : IDisposable
{
    private readonly VerifiedStream _stream;

    private ColumnFile(VerifiedStream stream) => _stream = stream;

    /// <summary>Writes the file. When it returns, all of it is on disk, but for its name.</summary>
    /// <param name="directory">Directory of the generation.</param>
    /// <param name="columns">The attributes, sealed.</param>
    /// <param name="identity">Identity of the records.</param>
    /// <param name="generation">The generation.</param>
    /// <param name="io">Writes.</param>
    public static FileEntry Write(string directory, CollectionColumns columns, ulong identity, uint generation, IStorageIo io)
    {
        string path = Path.Combine(directory, string.Create(CultureInfo.InvariantCulture, $"columns-{generation:D6}.vp"));
        using var stream = new PagedStreamWriter(path, FileRole.Columns, identity, generation, length: null, io);
        columns.Write(new ColumnWriter(stream));
        stream.Complete();
        return stream.Entry;
    }

    /// <summary>Opens a file that a manifest names, and checks its header.</summary>
    /// <exception cref="IndexCorruptException">The file is missing or not the one that the manifest names.</exception>
    /// <exception cref="DeviceException">The file cannot be opened or read.</exception>
    public static ColumnFile Open(IStorageIo io, string directory, FileEntry entry, ulong identity) =>
        new(new VerifiedStream(io, directory, entry, identity, length: null));

    /// <summary>Reads the file.</summary>
    /// <param name="definitions">The attributes of the schema.</param>
    /// <param name="built">Internal ids of the build are below this.</param>
    /// <param name="nodes">Internal ids are below this, which is not below <paramref name="built"/>.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    /// <exception cref="IndexCorruptException">The file is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    public CollectionColumns Load(AttributeDefinition[] definitions, uint built, uint nodes, CancellationToken cancellationToken)
    {
        var columns = new CollectionColumns(definitions, nodes);
        columns.Read(new ColumnReader(_stream, cancellationToken), built);
        return columns;
    }

    /// <summary>Reads every page.</summary>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    public void Verify(CancellationToken cancellationToken) => new ColumnReader(_stream, cancellationToken).Skip();

    public void Dispose() => _stream.Dispose();
}
