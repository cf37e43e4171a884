using System.Collections.Concurrent;

namespace VectorPipe.Quantization;

/// <summary>The trainers of one training: as many as work at once. Thread-safe.</summary>
/// <param name="mostPoints">Most points of a chunk; 1 or more.</param>
/// <param name="mostComponents">Most components of a chunk; 1 or more.</param>
internal sealed class CodebookTrainers(int mostPoints, int mostComponents)
{
    private readonly ConcurrentBag<CodebookTrainer> _idle = [];

    /// <summary>Trainers of all chunks of some points.</summary>
    /// <param name="count">Points.</param>
    /// <param name="chunkOffsets">The first component of each chunk, and at the end the dimension.</param>
    public static CodebookTrainers For(int count, int[] chunkOffsets) =>
        new(count, Enumerable.Range(0, chunkOffsets.Length - 1).Max(chunk => chunkOffsets[chunk + 1] - chunkOffsets[chunk]));

    /// <summary>A trainer that nobody else works with until it is returned.</summary>
    public CodebookTrainer Rent() =>
        _idle.TryTake(out CodebookTrainer? trainer) ? trainer : new CodebookTrainer(mostPoints, mostComponents);

    /// <summary>Gives one back.</summary>
    public void Return(CodebookTrainer trainer) => _idle.Add(trainer);
}
