using VectorPipe.Building.Codes;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Writing;
using VectorPipe.Quantization;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Building.Ivf;

/// <summary>Makes and writes the codes, list after list, each list from a page of its own.</summary>
/// <remarks>
/// Not thread-safe. Disposed before <see cref="Complete"/>, it leaves a file that no manifest names and that the caller deletes.
/// </remarks>
internal sealed class IvfCodeWriter : IDisposable
{
    private readonly CodeEncoder _encoder;
    private readonly int _codesPerPage;
    private readonly int[] _rows;
    private readonly PageFileWriter _file;

    /// <exception cref="IndexWriteException">The file cannot be created, or the disk has no room for it.</exception>
    public IvfCodeWriter(
        string path, Quantizer quantizer, int threads, IvfDirectory directory, ulong indexId, uint generation, IStorageIo io)
    {
        _codesPerPage = IvfShape.CodesPerPage(quantizer.CodeBytes);
        _rows = new int[Math.Max(1, IndexFilesWriter.BatchRows / _codesPerPage) * _codesPerPage];
        _encoder = new CodeEncoder(quantizer, _rows.Length, threads);
        _file = new PageFileWriter(path, FileRole.Codes, indexId, generation, PageCodec.PageUnit, directory.CodePages + 1L, io);
    }

    /// <summary>Appends the codes of the next list, neighbouring rows of <paramref name="points"/>.</summary>
    /// <exception cref="IndexWriteException">A write failed.</exception>
    public void Add(PointTable points, int first, int rows, CancellationToken cancellationToken)
    {
        for (int done = 0; done < rows; done += _rows.Length)
        {
            int count = Math.Min(_rows.Length, rows - done);
            for (int i = 0; i < count; i++)
                _rows[i] = first + done + i;
            ReadOnlySpan<byte> codes = _encoder.Encode(new GraphRecords(points, null), _rows.AsSpan(0, count), cancellationToken);
            for (int from = 0; from < count; from += _codesPerPage)
            {
                int items = Math.Min(_codesPerPage, count - from);
                int bytes = items * _encoder.CodeBytes;
                codes.Slice(from * _encoder.CodeBytes, bytes).CopyTo(PageCodec.Payload(_file.BeginPage()));
                _file.Seal(PageKind.ListCodes, items, bytes);
            }
        }
    }

    /// <summary>Ends the file after the last list; returns when it is on disk.</summary>
    public FileEntry Complete()
    {
        _file.Complete();
        return _file.Entry;
    }

    public void Dispose() => _file.Dispose();
}
