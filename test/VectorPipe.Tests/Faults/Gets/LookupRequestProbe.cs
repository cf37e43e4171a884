using NUnit.Framework;
using VectorPipe.Searching.Requests;
using VectorPipe.Tests.Searching;

namespace VectorPipe.Tests.Faults.Gets;

/// <summary>A look-up that counts its completions.</summary>
internal sealed class LookupRequestProbe : IRequestProbe
{
    private readonly RecordingCompletion _completion = new();

    public LookupRequestProbe() => Lookup = new LookupRequest(_completion);

    public LookupRequest Lookup { get; }

    public PendingRequest Request => Lookup;

    public int Completions => _completion.Count;

    /// <summary>The vector; null if the index does not hold the key.</summary>
    public required byte[]? Expected { get; init; }

    public void AssertAnswer(string name)
    {
        if (Lookup.Found != Expected is not null || !Lookup.Vector.SequenceEqual(Expected))
            Assert.Fail($"{name}: key {Lookup.Key} was {(Lookup.Found ? "found with another vector" : "not found")}");
    }
}
