using System.Collections.Concurrent;

namespace VectorPipe.Quantization;

/// <summary>A pool of the trainers of one training. Thread-safe.</summary>
/// <param name="mostPoints">Most points of a chunk; 1 or more.</param>
/// <param name="mostComponents">Most components of a chunk; 1 or more.</param>
internal sealed class CodebookTrainers(int mostPoints, int mostComponents)
{
    private readonly ConcurrentBag<CodebookTrainer> _idle = [];

    /// <summary>Creates a pool for all chunks.</summary>
    public static CodebookTrainers For(int count, int[] chunkOffsets) =>
        new(count, Enumerable.Range(0, chunkOffsets.Length - 1).Max(chunk => chunkOffsets[chunk + 1] - chunkOffsets[chunk]));

    public CodebookTrainer Rent() =>
        _idle.TryTake(out CodebookTrainer? trainer) ? trainer : new CodebookTrainer(mostPoints, mostComponents);

    public void Return(CodebookTrainer trainer) => _idle.Add(trainer);
}
