using System.Text.Json.Nodes;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;

namespace VectorPipe.Tool.Hits;

/// <summary>Hits as objects of JSON or lines of CSV, one a hit.</summary>
internal sealed class HitLines<TKey> : IHitWriter<TKey>
    where TKey : notnull, IParsable<TKey>
{
    private readonly HitShape _shape;
    private readonly StagedOutput? _file;
    private readonly TextWriter _output;
    private readonly RowLines _lines;

    /// <summary>Writes to a writer, which stays open.</summary>
    public HitLines(TextWriter output, OutputFormat format, HitShape shape)
    {
        (_output, _shape) = (output, shape);
        _lines = new RowLines(output, format, [.. HitNames.All, .. RowText.Names(shape.Include)]);
    }

    /// <summary>Writes to a file.</summary>
    public HitLines(StagedOutput file, OutputFormat format, HitShape shape)
        : this(new StreamWriter(file.Stream, leaveOpen: true), format, shape) => _file = file;

    public async ValueTask WriteAsync(int query, IReadOnlyList<KeyHit<TKey>> hits, CancellationToken cancellationToken)
    {
        for (int i = 0; i < hits.Count; i++)
        {
            KeyHit<TKey> hit = hits[i];
            var row = new JsonObject
            {
                [HitNames.Query] = query,
                [HitNames.Rank] = i + 1,
                [HitNames.Key] = KeyText<TKey>.ToJson(hit.Key),
                [HitNames.Score] = hit.Score,
            };
            RowText.Add(row, _shape.Include, _shape.ElementType, hit.Vector, hit.Attributes, hit.Payload);
            await _lines.WriteAsync(row);
        }
    }

    public async Task CompleteAsync(CancellationToken cancellationToken)
    {
        await _lines.CompleteAsync();
        if (_file is null)
            return;
        await _output.FlushAsync(cancellationToken);
        await _file.CompleteAsync(cancellationToken);
    }

    public ValueTask DisposeAsync() => _file?.DisposeAsync() ?? ValueTask.CompletedTask;
}
