using VectorPipe.Searching.Requests;

namespace VectorPipe.Tests.Searching;

/// <summary>Keeps the ended requests in order.</summary>
internal sealed class RecordingCompletion : IRequestCompletion
{
    public List<PendingRequest> Ended { get; } = [];

    public int Count => Ended.Count;

    public void OnCompleted(PendingRequest request) => Ended.Add(request);
}
