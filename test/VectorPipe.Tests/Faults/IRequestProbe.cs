using VectorPipe.Searching.Requests;

namespace VectorPipe.Tests.Faults;

/// <summary>A request that a test enters into a runner by itself, and that counts its ends.</summary>
internal interface IRequestProbe
{
    /// <summary>The request.</summary>
    PendingRequest Request { get; }

    /// <summary>Answers and errors of the request: exactly one.</summary>
    int Completions { get; }

    /// <summary>Why there is no answer; null if there is.</summary>
    Exception? Error => Request.Error;

    /// <summary>The answer must be the fault-free one.</summary>
    void AssertAnswer(string name);
}
