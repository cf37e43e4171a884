using NUnit.Framework;
using VectorPipe.Building.Phases;

namespace VectorPipe.Tests.Building.Phases;

/// <summary>The memory per vector is divided between its code and the page graph.</summary>
public sealed class VectorMemoryTests
{
    [TestCase(VectorElementType.UInt8, 1, 1, 31.05)]
    [TestCase(VectorElementType.Float32, 3, 3, 29.6)]
    [TestCase(VectorElementType.UInt8, 96, 24, 12.8)]
    [TestCase(VectorElementType.UInt8, 128, 32, 6.4)]
    [TestCase(VectorElementType.Float32, 96, 32, 19.2)]
    [TestCase(VectorElementType.Float32, 384, 96, 12.8)]
    [TestCase(VectorElementType.Float32, 1536, 308, 31.2)]
    public void A_vector_costs_32_bytes_and_a_twentieth_of_itself_by_default(
        VectorElementType type, int dimension, int codeBytes, double pageGraphBytes)
    {
        VectorMemory split = VectorMemory.Of(VectorMemory.DefaultMemory(type, dimension), dimension, null, null);
        Assert.That((split.CodeBytes, Math.Round(split.PageGraphBytes, 2)), Is.EqualTo((codeBytes, pageGraphBytes)));
    }

    [Test]
    public void Any_memory_per_vector_is_kept(
        [Values(1, 2, 3, 7, 8, 9, 31, 32, 33, 96, 127, 128, 384, 1000, 1536, 4000, 8192)] int dimension)
    {
        for (double memory = 1; memory <= 2048; memory = memory < 64 ? memory + 0.25 : memory * 1.1)
        {
            VectorMemory split = VectorMemory.Of(memory, dimension, null, null);
            string what = $"{memory} bytes: {split}";
            Assert.That(split.CodeBytes, Is.InRange(1, Math.Min(dimension, 1024)), what);
            Assert.That(split.PageGraphBytes, Is.InRange(0.0, 32.0), what);
            Assert.That(split.CodeBytes + split.PageGraphBytes, Is.LessThanOrEqualTo(memory), what);
        }
    }

    [Test]
    public void A_given_code_size_is_kept_and_the_page_graph_gets_the_rest(
        [Values(1, 16, 64, 128)] int codeBytes, [Values(1.0, 16.5, 40, 200)] double memory)
    {
        VectorMemory split = VectorMemory.Of(memory, 128, codeBytes, null);
        Assert.That(split, Is.EqualTo(new VectorMemory(codeBytes, Math.Clamp(memory - codeBytes, 0, 32))));
    }

    [Test]
    public void More_memory_never_makes_a_shorter_code([Values(1, 3, 31, 96, 128, 384, 1536)] int dimension)
    {
        int before = 0;
        for (double memory = 1; memory <= 2048; memory += 0.5)
        {
            int bytes = VectorMemory.Of(memory, dimension, null, null).CodeBytes;
            Assert.That(bytes, Is.AtLeast(before), $"{memory} bytes");
            before = bytes;
        }
    }
}
