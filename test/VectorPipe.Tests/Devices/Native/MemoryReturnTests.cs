using NUnit.Framework;
using VectorPipe.Devices.Native;

namespace VectorPipe.Tests.Devices.Native;

[TestFixture]
[Alone]
internal sealed unsafe class MemoryReturnTests
{
    private const int Page = 4096;
    private const int Pages = 200;

    [Test]
    public void Returned_pages_are_zeros_and_the_others_do_not_change([Values] bool inOneCall)
    {
        Assume.That(Libc.IsSupported, "Linux on x64 or arm64");
        nint memory = Libc.Mmap(0, Pages * Page, Libc.PROT_READ | Libc.PROT_WRITE, Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS, -1, 0);
        Assert.That(memory, Is.Not.EqualTo((nint)(-1)));
        try
        {
            var bytes = new Span<byte>((void*)memory, Pages * Page);
            using var memoryReturn = new MemoryReturn(new LinuxReservedMemory(), inOneCall);
            Random random = new(5);
            for (int round = 0; round < 20; round++)
            {
                bytes.Fill((byte)(round + 1));
                bool[] isGone = new bool[Pages];
                for (int i = 0; i < random.Next(MemoryReturn.Capacity + 1); i++)
                {
                    int first = random.Next(Pages), count = random.Next(1, Math.Min(4, Pages - first + 1));
                    memoryReturn.Add((byte*)memory + first * Page, count * Page);
                    isGone.AsSpan(first, count).Fill(true);
                }

                memoryReturn.Flush();
                Assert.That(memoryReturn.Count, Is.Zero);
                for (int page = 0; page < Pages; page++)
                {
                    byte expected = isGone[page] ? (byte)0 : (byte)(round + 1);
                    if (bytes.Slice(page * Page, Page).ContainsAnyExcept(expected))
                        Assert.Fail($"round {round}: page {page} is not all {expected}");
                }
            }

            TestContext.Out.WriteLine(memoryReturn.IsInOneCall ? "in one call" : "one by one");
        }
        finally
        {
            _ = Libc.Munmap(memory, Pages * Page);
        }
    }

    [Test]
    public void Unmapped_pages_are_refused([Values] bool inOneCall)
    {
        Assume.That(Libc.IsSupported, "Linux on x64 or arm64");
        using var memoryReturn = new MemoryReturn(new LinuxReservedMemory(), inOneCall);
        for (int i = 0; i < 2; i++)
            memoryReturn.Add((byte*)Page + i, Page);
        Assert.That(memoryReturn.Flush, Throws.InvalidOperationException);
        Assert.That(memoryReturn.Count, Is.Zero);
    }
}
