namespace VectorPipe.Model.Search;

/// <summary>One event of a traced query.</summary>
/// <param name="Kind">What happened.</param>
/// <param name="AtUs">When it happened, or began: microseconds since the query was accepted.</param>
/// <param name="DurationUs">How long it took, µs; 0 for a moment.</param>
/// <param name="Page">The page, or -1.</param>
/// <param name="Node">The node (internal id), or -1.</param>
/// <param name="Value">Expand: the node's exact distance. Complete: 0. Done: hits.</param>
/// <param name="Count">Expand: links followed, with those met before. TakeIn: vectors scored. Submit, Wait: reads in flight.</param>
internal readonly record struct SearchTraceEvent(
    SearchTraceKind Kind, double AtUs, double DurationUs, long Page, long Node, float Value, int Count);
