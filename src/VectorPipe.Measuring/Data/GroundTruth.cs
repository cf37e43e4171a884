using System.Diagnostics;

namespace VectorPipe.Measuring.Data;

/// <summary>The true nearest neighbours of a set of queries: for each, the ids of its k nearest vectors, nearest first.</summary>
/// <remarks>
/// <para>The layout of a ground-truth file is int32 count, int32 k, count × k uint32 ids, and, told apart by the file's length alone,
/// count × k float32 distances; all little-endian. An <c>.ivecs</c> file holds ids only, each row preceded by its length.</para>
/// <para>Immutable and thread-safe. Held in memory whole: 4 bytes an id, 4 a distance.</para>
/// </remarks>
internal sealed class GroundTruth
{
    /// <summary>Bytes of an id and of a distance.</summary>
    public const int ElementBytes = 4;

    private readonly uint[] _ids;
    private readonly float[] _distances;

    /// <summary>Takes over arrays of count × k entries; <paramref name="distances"/> may be empty.</summary>
    public GroundTruth(int count, int k, uint[] ids, float[] distances)
    {
        Debug.Assert(ids.Length == (long)count * k, "One id for each query and rank.");
        Debug.Assert(distances.Length == 0 || distances.Length == ids.Length, "Distances for all ids or none.");
        Count = count;
        K = k;
        _ids = ids;
        _distances = distances;
    }

    /// <summary>Queries, at least 1.</summary>
    public int Count { get; }

    /// <summary>Neighbours of each query, at least 1.</summary>
    public int K { get; }

    /// <summary>Whether the distances are known too.</summary>
    public bool HasDistances => _distances.Length != 0;

    /// <summary>The ids of a query's <see cref="K"/> nearest vectors, nearest first.</summary>
    /// <param name="query">The query's row, in [0, <see cref="Count"/>).</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such query.</exception>
    public ReadOnlySpan<uint> Ids(int query) => _ids.AsSpan(Start(query), K);

    /// <summary>The distances that belong to <see cref="Ids"/>, in the metric that the file was made for.</summary>
    /// <param name="query">The query's row, in [0, <see cref="Count"/>).</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such query.</exception>
    /// <exception cref="InvalidOperationException">The distances are not known.</exception>
    public ReadOnlySpan<float> Distances(int query)
    {
        if (!HasDistances)
            throw new InvalidOperationException("Expected a ground truth with distances, found one of ids only.");
        return _distances.AsSpan(Start(query), K);
    }

    /// <summary>Reads a ground-truth file.</summary>
    /// <param name="path">The file: <c>.ivecs</c> for ids only; any other extension for the ground-truth layout.</param>
    /// <param name="ct">Cancels the reading.</param>
    /// <exception cref="VectorFormatException">The file is empty, truncated, followed by trailing bytes, without queries, or too
    /// large.</exception>
    /// <exception cref="FileNotFoundException">There is no such file.</exception>
    /// <exception cref="UnauthorizedAccessException">The file may not be read, or is a folder.</exception>
    public static Task<GroundTruth> LoadAsync(string path, CancellationToken ct = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return GroundTruthReader.LoadAsync(path, ct);
    }

    /// <summary>Writes a ground-truth file: under a temporary name in the same folder first, so that no half of it ever bears the
    /// name.</summary>
    /// <param name="path">The file: <c>.ivecs</c> for ids only; any other extension for the ground-truth layout.</param>
    /// <param name="count">Queries, at least 1.</param>
    /// <param name="k">Neighbours of each query, at least 1.</param>
    /// <param name="ids">count × k ids, row by row.</param>
    /// <param name="distances">count × k distances, or none; none for <c>.ivecs</c>.</param>
    /// <param name="ct">Cancels the writing; nothing is left of it then.</param>
    /// <exception cref="ArgumentException">The lengths do not fit, or distances are given for an <c>.ivecs</c> file.</exception>
    /// <exception cref="IOException">The path is that of a folder, or its folder does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">The folder may not be written to.</exception>
    public static Task SaveAsync(
        string path, int count, int k, ReadOnlyMemory<uint> ids, ReadOnlyMemory<float> distances, CancellationToken ct = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(k, 1);
        if (ids.Length != (long)count * k)
            throw new ArgumentException($"Expected {count} x {k} ids, found {ids.Length}.", nameof(ids));
        if (!distances.IsEmpty && distances.Length != ids.Length)
            throw new ArgumentException($"Expected {count} x {k} distances or none, found {distances.Length}.", nameof(distances));
        if (!distances.IsEmpty && IsIvecs(path))
            throw new ArgumentException($"'{path}': expected no distances, since .ivecs cannot hold them; found {distances.Length}.",
                nameof(distances));
        return GroundTruthWriter.SaveAsync(path, count, k, ids, distances, ct);
    }

    /// <summary>Whether a path names an <c>.ivecs</c> file: rows of int32, each with its dimension.</summary>
    public static bool IsIvecs(string path) => Path.GetExtension(path).Equals(".ivecs", StringComparison.OrdinalIgnoreCase);

    private int Start(int query)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(query);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(query, Count);
        return query * K;
    }
}
