using VectorPipe.Searching.Requests;

namespace VectorPipe.Tests.Searching;

/// <summary>Keeps the requests that have ended, in the order of their ends.</summary>
internal sealed class RecordingCompletion : IRequestCompletion
{
    public List<PendingRequest> Ended { get; } = [];

    public int Count => Ended.Count;

    public void OnCompleted(PendingRequest request) => Ended.Add(request);
}
