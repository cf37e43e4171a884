using System.Diagnostics;

namespace VectorPipe.Measuring.Data;

/// <summary>The true nearest neighbours of a set of queries: for each, the ids of its k nearest vectors, nearest first.</summary>
/// <remarks>
/// A ground-truth file is little-endian: int32 count, int32 k, count × k uint32 ids, and optionally count × k float32 distances; the
/// length of the file tells whether there are any. An <c>.ivecs</c> file holds ids only, each row after its length. Immutable.
/// </remarks>
internal sealed class GroundTruth
{
    /// <summary>Bytes of an id, and of a distance.</summary>
    public const int ElementBytes = 4;

    private readonly uint[] _ids;
    private readonly float[] _distances;

    /// <summary>Owns both arrays: count × k ids, and as many distances or none.</summary>
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
    public ReadOnlySpan<uint> Ids(int query) => _ids.AsSpan(Start(query), K);

    /// <summary>The distances of <see cref="Ids"/>, in the metric of the file.</summary>
    /// <exception cref="InvalidOperationException">The distances are not known.</exception>
    public ReadOnlySpan<float> Distances(int query)
    {
        if (!HasDistances)
            throw new InvalidOperationException("Expected a ground truth with distances, found one of ids only.");
        return _distances.AsSpan(Start(query), K);
    }

    /// <summary>Reads a ground-truth file.</summary>
    /// <exception cref="VectorFormatException">The file is empty, has the wrong length, has no queries, or is too large.</exception>
    public static Task<GroundTruth> LoadAsync(string path, CancellationToken ct = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return GroundTruthReader.LoadAsync(path, ct);
    }

    /// <summary>Writes a ground-truth file through a temporary file, so that the path never names half of it.</summary>
    /// <param name="distances">count × k distances, or none; <c>.ivecs</c> cannot hold them.</param>
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
