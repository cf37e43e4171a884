using System.Globalization;
using Spectre.Console;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;

namespace VectorPipe.Tool.Hits;

/// <summary>Hits as a table, for people.</summary>
internal sealed class HitTable<TKey> : IHitWriter<TKey>
    where TKey : notnull, IParsable<TKey>
{
    private readonly ToolConsole _console;
    private readonly HitShape _shape;
    private readonly Table _table = new();

    public HitTable(ToolConsole console, HitShape shape)
    {
        (_console, _shape) = (console, shape);
        foreach (string heading in HitNames.All)
            _table.AddColumn(heading, column => column.RightAligned());
        foreach (string heading in RowText.Headings(shape.Include))
            _table.AddColumn(heading);
    }

    public ValueTask WriteAsync(int query, IReadOnlyList<KeyHit<TKey>> hits, CancellationToken cancellationToken)
    {
        for (int i = 0; i < hits.Count; i++)
        {
            KeyHit<TKey> hit = hits[i];
            string[] figures =
                [$"{query}", $"{i + 1}", KeyText<TKey>.ToText(hit.Key), hit.Score.ToString("G6", CultureInfo.InvariantCulture)];
            IEnumerable<string> rest = RowText.Cells(_shape.Include, _shape.ElementType, hit.Vector, hit.Attributes, hit.Payload);
            _table.AddRow([.. figures.Concat(rest).Select(cell => new Text(cell))]);
        }

        return ValueTask.CompletedTask;
    }

    public Task CompleteAsync(CancellationToken cancellationToken)
    {
        _console.Write(_table);
        return Task.CompletedTask;
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
