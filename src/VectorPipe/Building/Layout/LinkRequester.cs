namespace VectorPipe.Building.Layout;

/// <summary>A node that requests a link from a page.</summary>
/// <param name="Rank">The page's rank among its requests, 0 the best.</param>
/// <param name="Node">The node's position.</param>
/// <param name="Slot">The node of the page that is nearest to it.</param>
internal readonly record struct LinkRequester(int Rank, uint Node, int Slot);
