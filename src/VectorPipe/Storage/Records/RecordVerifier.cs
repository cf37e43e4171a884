using VectorPipe.Storage.Keys;

namespace VectorPipe.Storage.Records;

/// <summary>Compares the directory of a record file with its records: sorted by place, the entries are the records in file order.</summary>
internal sealed class RecordVerifier(RecordFileInfo info, VerifiedStream heap, VerifiedPages directory)
{
    private ulong[] _handles = [];
    private ulong[] _values = [];
    private int _count;

    /// <summary>Reads every page of both files.</summary>
    /// <exception cref="IndexCorruptException">The first defect.</exception>
    public void Run(CancellationToken cancellationToken)
    {
        directory.ReadHeader();
        heap.CheckHeader();
        if (info.Shape.Entries < 0 || info.Shape.Entries > Array.MaxLength)
            throw new IndexCorruptException(
                directory.FilePath, $"expected at most {Array.MaxLength} entries, found {info.Shape.Entries} in the manifest");
        _handles = new ulong[info.Shape.Entries];
        _values = new ulong[info.Shape.Entries];
        WalkDirectory(cancellationToken);
        Array.Sort(_values, _handles);
        CompareRecords(cancellationToken);
    }

    private void WalkDirectory(CancellationToken cancellationToken)
    {
        var first = new PageWindow(directory, KeyDirectoryShape.FirstPage(info.Shape.Buckets));
        var others = new PageWindow(directory, info.Directory.PageCount);
        new KeyDirectoryWalk(directory.FilePath, info.Directory, info.Shape)
            .Run((number, isFirst, _) => (isFirst ? first : others).Read(number), Take, cancellationToken);
    }

    private string? Take(ulong handle, ulong value)
    {
        if (_count == _handles.Length)
            return $"expected {_handles.Length} entries, as the manifest states, found more";
        _handles[_count] = handle;
        _values[_count++] = value;
        return null;
    }

    private void CompareRecords(CancellationToken cancellationToken)
    {
        var scan = new RecordScan(heap);
        int next = 0;
        for (; scan.TryNext(out ulong handle, out RecordPlace place); next++)
        {
            if (next % 1024 == 0)
                cancellationToken.ThrowIfCancellationRequested();
            if (next == _count || _handles[next] != handle || _values[next] != place.ToValue())
                throw new IndexCorruptException(
                    heap.FilePath, VerifiedStream.PageOf(place.Offset),
                    $"expected {(next < _count ? Describe(_handles[next], RecordPlace.FromValue(_values[next])) : "no more records")}, "
                    + $"by the directory, found {Describe(handle, place)}");
        }

        if (next < _count)
            throw new IndexCorruptException(
                heap.FilePath, $"expected {Describe(_handles[next], RecordPlace.FromValue(_values[next]))}, found the end of the stream");
    }

    private static string Describe(ulong handle, RecordPlace place) =>
        $"the record of handle {handle} with {place.BodyBytes} bytes at byte {place.Offset} of the stream";
}
