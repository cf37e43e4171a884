using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using VectorPipe.Cluster.Log;
using VectorPipe.Cluster.Replicas;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Clustering;

/// <summary>A set of this server as a replica of a shard: each element knows the position that wrote it.</summary>
/// <remarks>One follower writes; clients read beside it.</remarks>
internal sealed class ShardStore : IShardStore
{
    private const string SavedFile = "saved";

    private readonly VectorSet _set;
    private readonly string _path;

    /// <summary>Opens it.</summary>
    /// <exception cref="IOException">The file of the saved position cannot be read, or holds something else.</exception>
    public ShardStore(VectorSet set)
    {
        _set = set;
        _path = Path.Combine(set.Folder, SavedFile);
        if (!File.Exists(_path))
            return;
        string text = File.ReadAllText(_path);
        Saved = long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long saved)
            ? saved
            : throw new IOException($"{_path}: expected a position of a log, found '{text}'");
    }

    public long Saved { get; private set; }

    public async ValueTask<bool> ApplyAsync(long position, LogRecord record, CancellationToken cancellationToken)
    {
        try
        {
            return await WriteAsync(position, record, cancellationToken);
        }
        catch (Exception e) when (e is InvalidVectorException or InvalidRecordException)
        {
            // No replica can keep it: it does nothing, everywhere.
            return false;
        }
    }

    public async ValueTask SaveAsync(long position, CancellationToken cancellationToken)
    {
        await _set.Collection.FlushAsync(cancellationToken);
        string text = position.ToString(CultureInfo.InvariantCulture);
        await using (var file = new FileStream(_path + ".new", FileMode.Create, FileAccess.Write))
        {
            file.Write(Encoding.ASCII.GetBytes(text));
            file.Flush(flushToDisk: true);
        }

        File.Move(_path + ".new", _path, overwrite: true);
        DirectorySync.Sync(_set.Folder);
        Saved = position;
    }

    private async Task<bool> WriteAsync(long position, LogRecord record, CancellationToken cancellationToken)
    {
        string element = Encoding.UTF8.GetString(record.Element.Span);
        Include include = Include.Payload | Include.Attributes | (record.Kind == RecordKind.SetAttributes ? Include.Vector : 0);
        CollectionRecord<string>? before = await _set.Collection.GetAsync(element, include, cancellationToken);
        if (before?.Attributes![VectorSet.PositionName].AsInt64() >= position)
            return false;
        switch (record.Kind)
        {
            case RecordKind.Put:
                await WriteAsync(
                    element, MemoryMarshal.Cast<byte, float>(record.Vector.Span).ToArray(),
                    record.Attributes ?? before?.Payload ?? default, position, cancellationToken);
                return before is null;
            case RecordKind.SetAttributes when before is not null:
                await WriteAsync(
                    element, before.GetVector<float>().ToArray(), record.Attributes.GetValueOrDefault(), position, cancellationToken);
                return true;
            case RecordKind.Remove:
                return await _set.Collection.DeleteAsync(element, cancellationToken);
            default:
                return false;
        }
    }

    private Task WriteAsync(
        string element, ReadOnlyMemory<float> vector, ReadOnlyMemory<byte> attributes, long position, CancellationToken cancellationToken)
    {
        var values = new AttributeSet { [VectorSet.PositionName] = position };
        if (!attributes.IsEmpty)
            values[VectorSet.AttributedName] = true;
        return _set.Collection.UpsertAsync(element, vector, values, attributes, cancellationToken);
    }
}
