namespace VectorPipe.Searching.State;

/// <summary>A link to a new node that a page will get.</summary>
/// <param name="Target">The internal id of the new node.</param>
/// <param name="Slot">The slot of the page's node that has the link.</param>
internal readonly record struct WaitingLink(uint Target, int Slot);
