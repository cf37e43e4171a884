using VectorPipe.Searching;

namespace VectorPipe.Tests.Faults;

/// <summary>A request that a test enters into a runner by itself, and that counts how often it was ended.</summary>
internal interface IRequestProbe
{
    /// <summary>Answers and errors that it was given: one, for every request.</summary>
    int Completions { get; }

    /// <summary>Why there is no answer; null if there is.</summary>
    Exception? Error { get; }

    /// <summary>Hands it over to a runner.</summary>
    void Enter(SearchRunner runner);

    /// <summary>The answer must be the fault-free one.</summary>
    void AssertAnswer(string name);
}
