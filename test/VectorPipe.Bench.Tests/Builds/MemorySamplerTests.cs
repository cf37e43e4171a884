using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Bench.Builds;

namespace VectorPipe.Bench.Tests.Builds;

public sealed unsafe class MemorySamplerTests
{
    private const int Bytes = 64 << 20;

    [Test]
    public void Memory_that_is_touched_shows_in_the_peak()
    {
        using var sampler = new MemorySampler();
        void* memory = NativeMemory.Alloc(Bytes);
        new Span<byte>(memory, Bytes).Fill(1);

        // The sampler looks once more when it is stopped.
        long peak = sampler.Stop();
        NativeMemory.Free(memory);
        Assert.That(peak - sampler.BeforeBytes, Is.GreaterThan(Bytes * 9L / 10));
    }
}
