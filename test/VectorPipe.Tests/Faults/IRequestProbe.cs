using VectorPipe.Searching.Requests;

namespace VectorPipe.Tests.Faults;

/// <summary>A request that a test gives to a runner directly, and that counts its completions.</summary>
internal interface IRequestProbe
{
    /// <summary>The request.</summary>
    PendingRequest Request { get; }

    /// <summary>Answers and errors of the request: exactly one.</summary>
    int Completions { get; }

    /// <summary>The error; null if there is an answer.</summary>
    Exception? Error => Request.Error;

    /// <summary>Asserts the answer without faults.</summary>
    void AssertAnswer(string name);
}
