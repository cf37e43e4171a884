using VectorPipe.Collections.Records;
using VectorPipe.Searching.State;

namespace VectorPipe.Collections.Generations;

/// <summary>What an open generation holds after its last checkpoint.</summary>
/// <param name="Changes">What checkpoints changed of the graph; null for nothing.</param>
/// <param name="Checkpoint">Number of the last checkpoint; 0 for none.</param>
/// <param name="Records">What records hold beside the vectors in pages.</param>
/// <param name="Matches">Finds the records that match a filter.</param>
internal sealed record GenerationContent(GraphChanges? Changes, uint Checkpoint, RecordFiles Records, ContentMatches Matches);
