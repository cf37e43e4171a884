using System.Text;

namespace VectorPipe.Tests.Collections;

/// <summary>Random texts of characters that take 1 to 4 bytes of UTF-8.</summary>
internal static class RandomText
{
    public static string Next(Random random, int characters)
    {
        var text = new StringBuilder();
        for (int i = 0; i < characters; i++)
        {
            int limit = random.Next(4) switch { 0 => 0x80, 1 => 0x800, 2 => 0xD800, _ => 0x11_0000 };
            int value = random.Next(limit);
            text.Append(new Rune(value is >= 0xD800 and < 0xE000 ? value - 0x800 : value).ToString());
        }

        return text.ToString();
    }
}
