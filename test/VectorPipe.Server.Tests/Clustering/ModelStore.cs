using System.Text;
using VectorPipe.Cluster.Log;
using VectorPipe.Cluster.Replicas;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>A replica in memory, by the rule that what an element has from a later position stays.</summary>
internal sealed class ModelStore : IShardStore
{
    private readonly Lock _gate = new();
    private readonly SortedDictionary<string, (string Vector, string Attributes, long Position)> _elements = new(StringComparer.Ordinal);

    public LogPlace Saved { get; private set; }

    /// <summary>Positions as they were applied.</summary>
    public List<long> Applied { get; } = [];

    /// <summary>Fails at this position; 0 for none.</summary>
    public long FailsAt { get; set; }

    /// <summary>All that it holds, as a text.</summary>
    public string State
    {
        get
        {
            lock (_gate)
                return string.Join('\n', _elements.Select(one => $"{one.Key} {one.Value}"));
        }
    }

    public ValueTask<bool> ApplyAsync(long position, LogRecord record, CancellationToken cancellationToken)
    {
        if (position == FailsAt)
            return ValueTask.FromException<bool>(new IOException("no space"));
        lock (_gate)
        {
            Applied.Add(position);
            string name = Encoding.UTF8.GetString(record.Element.Span);
            bool isThere = _elements.TryGetValue(name, out var before);
            if (isThere && before.Position >= position)
                return ValueTask.FromResult(false);
            string attributes = record.Attributes is { } given ? Convert.ToHexString(given.Span) : before.Attributes ?? "";
            switch (record.Kind)
            {
                case RecordKind.Put:
                    _elements[name] = (Convert.ToHexString(record.Vector.Span), attributes, position);
                    return ValueTask.FromResult(!isThere);
                case RecordKind.SetAttributes when isThere:
                    _elements[name] = (before.Vector, attributes, position);
                    break;
                case RecordKind.Remove:
                    _elements.Remove(name);
                    break;
            }

            return ValueTask.FromResult(isThere);
        }
    }

    /// <summary>What it held at marks, by their positions.</summary>
    public Dictionary<long, string> Marks { get; } = [];

    public ValueTask MarkAsync(long position, CancellationToken cancellationToken)
    {
        Marks[position] = State;
        return ValueTask.CompletedTask;
    }

    public ValueTask SaveAsync(LogPlace place, CancellationToken cancellationToken)
    {
        Saved = place;
        return ValueTask.CompletedTask;
    }
}
