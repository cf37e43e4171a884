using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Partitioned;

/// <summary>The vectors of the thinner sample levels, in memory side by side: samples lie far apart, and many leaves ask for the same ones.</summary>
/// <remarks>Reading is thread-safe. Freed by <see cref="Dispose"/>.</remarks>
internal sealed class SampleVectors : IDisposable
{
    /// <summary>The first level whose vectors are kept: the samples of those below lie around the leaf that asks for them.</summary>
    public const int FirstLevel = 1;

    private readonly int[] _positions;

    /// <param name="context">The build.</param>
    /// <param name="levels">The samples.</param>
    public SampleVectors(BuildContext context, SampleLevels levels)
    {
        // A level is a part of the one below it, so the first one kept has them all.
        _positions = levels.Count > FirstLevel ? levels.All(FirstLevel).ToArray() : [];
        Table = new VectorTable(context.Table.Form, Math.Max(1, _positions.Length));
        using PageLease lease = context.Rent();
        for (int i = 0; i < _positions.Length; i++)
        {
            context.CancellationToken.ThrowIfCancellationRequested();
            lease.Begin();
            context.Table.Ask(lease, _positions[i], 1);
            lease.Fetch();
            Table.Copy(i, context.Table, _positions[i]);
        }
    }

    /// <summary>The vectors.</summary>
    public VectorTable Table { get; }

    /// <summary>The table's rows of samples of the kept levels.</summary>
    /// <param name="positions">Their positions.</param>
    /// <param name="rows">Receives as many rows.</param>
    public void Find(ReadOnlySpan<int> positions, Span<int> rows)
    {
        for (int i = 0; i < positions.Length; i++)
            rows[i] = Array.BinarySearch(_positions, positions[i]);
    }

    /// <summary>Frees the vectors.</summary>
    public void Dispose() => Table.Dispose();
}
