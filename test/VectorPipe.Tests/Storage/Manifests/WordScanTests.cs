using NUnit.Framework;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Tests.Storage.Manifests;

public sealed unsafe class WordScanTests
{
    private const int Words = 1000;

    [Test]
    public void The_first_word_that_is_too_high_is_found_in_any_piece(
        [Values(1, 7, 1000, 4096)] int pieceWords, [Values(0, 6, 7, 999)] int place)
    {
        uint[] words = new uint[Words];
        fixed (uint* first = words)
        {
            Assert.That(WordScan.FirstAtLeast(first, Words, 5, pieceWords), Is.EqualTo(-1));
            words[place] = 5;
            words[Words - 1] = uint.MaxValue;
            Assert.That(WordScan.FirstAtLeast(first, Words, 5, pieceWords), Is.EqualTo(place));
            Assert.That(WordScan.FirstAtLeast(first, place, 5, pieceWords), Is.EqualTo(-1), "words after the end do not count");
        }
    }

    [TestCase(float.NaN)]
    [TestCase(float.PositiveInfinity)]
    [TestCase(float.NegativeInfinity)]
    public void A_float_that_is_not_finite_is_found(float wrong)
    {
        float[] numbers = [.. Enumerable.Range(0, Words).Select(i => (i % 2 == 0 ? -1 : 1) * (i / (float)Words) * float.MaxValue)];
        fixed (float* first = numbers)
        {
            Assert.That(WordScan.FirstNotFinite((uint*)first, Words, 64), Is.EqualTo(-1));
            numbers[777] = wrong;
            numbers[900] = float.NaN;
            Assert.That(WordScan.FirstNotFinite((uint*)first, Words, 64), Is.EqualTo(777));
        }
    }
}
