namespace VectorPipe.Building.Paging;

/// <summary>A block that a lease has taken upon itself to read.</summary>
/// <param name="Region">Whose block.</param>
/// <param name="Block">The block.</param>
/// <param name="IsHint">Whether it was hinted at and not asked for: it comes into memory, and may go at any time.</param>
internal readonly record struct BlockClaim(PagedRegion Region, int Block, bool IsHint);
