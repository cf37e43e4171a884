using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Tests.Formats;

/// <summary>Mutated files are read or refused with a <see cref="VectorFormatException"/>, with little memory.</summary>
[Alone]
public sealed class HeaderFuzzTests
{
    private const int Mutants = 1_500;
    private const long AllocatedBytesMax = 2 << 20;

    private static IEnumerable<TestCaseData> Kinds =>
        TestBytes.Kinds.Select(static (kind, number) =>
        {
            var data = new TestCaseData(kind.Extension, kind.ElementType);
            return number % 3 == 0 ? data : data.SetCategory("Heavy");
        });

    [TestCaseSource(nameof(Kinds))]
    public async Task A_mutated_vector_file_is_read_or_refused(string extension, VectorElementType elementType)
    {
        byte[] original = TestBytes.WholeFile(extension, elementType, 3, 5, TestBytes.Counting(3 * 5 * elementType.SizeInBytes()));

        await FuzzAsync("v" + extension, original, async path =>
        {
            await using VectorFileReader reader = await VectorFileReader.OpenAsync(path);
            byte[] rows = new byte[reader.Dimension * reader.ElementType.SizeInBytes()];
            long count = 0;
            while (await reader.ReadAsync(rows) == 1)
                count++;
            Assert.That(count, Is.EqualTo(reader.Count));
        });
    }

    private static async Task FuzzAsync(string name, byte[] original, Func<string, Task> read)
    {
        Random random = RandomizedTest.Start();
        using var folder = new TemporaryFolder();
        int refused = 0;
        for (int i = 0; i < Mutants; i++)
        {
            byte[] mutant = Mutate(original, random);
            string path = folder.Write(name, mutant);
            bool isRefused = false;
            int number = i;

            long allocated = await Allocations.OfProcessAsync(
                async () =>
                {
                    try
                    {
                        await read(path);
                    }
                    catch (VectorFormatException error)
                    {
                        Assert.That(error.Path, Is.EqualTo(path));
                        Assert.That(error.Offset, Is.InRange(0, mutant.Length), error.Message);
                        isRefused = true;
                    }
                    catch (Exception error) when (error is not AssertionException)
                    {
                        Assert.Fail($"mutant {number}, {Convert.ToHexString(mutant)}: {error}");
                    }
                },
                AllocatedBytesMax - 1);
            refused += isRefused ? 1 : 0;
            Assert.That(allocated, Is.LessThan(AllocatedBytesMax), $"mutant {i}, {Convert.ToHexString(mutant)}");
        }

        Assert.That(refused, Is.InRange(Mutants / 10, Mutants), "the mutations reach the checks");
    }

    private static byte[] Mutate(byte[] original, Random random)
    {
        List<byte> bytes = [.. original];
        int changes = random.Next(1, 5);
        for (int i = 0; i < changes && bytes.Count > 0; i++)
        {
            int at = random.Next(bytes.Count);
            switch (random.Next(5))
            {
                case 0:
                    bytes[at] = (byte)random.Next(256);
                    break;
                case 1:
                    bytes[at] ^= (byte)(1 << random.Next(8));
                    break;
                case 2:
                    bytes[at] = random.Next(3) switch { 0 => 0, 1 => 0x7F, _ => 0xFF };
                    break;
                case 3:
                    bytes.RemoveRange(at, random.Next(1, Math.Min(8, bytes.Count - at) + 1));
                    break;
                default:
                    bytes.Insert(at, bytes[random.Next(bytes.Count)]);
                    break;
            }
        }

        return [.. bytes];
    }
}
