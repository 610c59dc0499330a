"""Paragraphs and questions in several languages, about everyday subjects, with the names that occur in all of them."""

PARAGRAPHS = {
    "english": [
        "The old lighthouse was built on a rock in the bay, and it is still lit by hand on stormy nights.",
        "You have to let the dough rest for an hour, or it will not be as light as the bread from the bakery.",
        "Router settings are saved to flash. This may fail at the first start, so check that the lamp is on.",
    ],
    "german": [
        "Der alte Leuchtturm steht auf einem Felsen in der Bucht und wird bei Sturm noch von Hand angezündet.",
        "Man muss den Teig eine Stunde ruhen lassen, sonst ist das Brot nicht so locker wie das aus der Bäckerei.",
    ],
    "spanish": [
        "El viejo faro está en una roca de la bahía y se enciende a mano en las noches de tormenta.",
        "Hay que dejar reposar la masa una hora para que el pan no sea más pesado que el de la panadería.",
    ],
    "turkish": [
        "Eski deniz feneri koydaki bir kayanın üzerinde ve fırtınalı gecelerde hâlâ elle yakılıyor, çok güzel bir yer.",
        "Hamuru bir saat dinlendirmek gerekir, yoksa ekmek fırındaki kadar hafif olmaz ve bu da tadını bozar.",
    ],
    "vietnamese": [
        "Ngọn hải đăng cũ nằm trên một tảng đá trong vịnh và vẫn được thắp bằng tay vào những đêm có bão.",
        "Bạn phải để bột nghỉ một giờ, nếu không bánh mì sẽ không được nhẹ như bánh của tiệm.",
    ],
    "romanian": [
        "Vechiul far este pe o stâncă din golf și se aprinde cu mâna în nopțile de furtună, după apusul soarelui.",
        "Aluatul se lasă o oră la odihnit, pentru că altfel pâinea nu este mai ușoară decât cea de la brutărie.",
    ],
    "french": [
        "Le vieux phare est sur un rocher de la baie, et on l'allume à la main les nuits de tempête avec une torche.",
        "Il faut laisser la pâte au repos pendant une heure pour que le pain ne soit pas plus lourd que les autres.",
    ],
    "dutch": [
        "De oude vuurtoren staat op een rots in de baai en wordt bij storm nog met de hand aangestoken.",
        "Je moet het deeg een uur laten rusten, want anders is het brood niet zo luchtig als dat van de bakker.",
    ],
    "portuguese": [
        "O velho farol fica em uma rocha da baía e é aceso à mão nas noites de tempestade, como mais nenhum no país.",
        "A massa deve descansar por uma hora para que o pão não seja mais pesado do que os da padaria.",
    ],
    "czech": [
        "Starý maják stojí na skále v zátoce a za bouřlivých nocí se stále zapaluje ručně, jako by se nic nezměnilo.",
        "Těsto je třeba nechat hodinu odpočinout, jinak chléb nebude tak lehký, jak by měl být po upečení.",
    ],
    "indonesian": [
        "Mercusuar tua itu berada di atas batu dalam teluk dan masih dinyalakan dengan tangan pada malam badai.",
        "Adonan harus didiamkan satu jam untuk roti yang ringan, karena roti ini tidak akan mengembang oleh panas.",
    ],
}
QUESTIONS = {
    "english": [
        "where is the old lighthouse",
        "how long does the dough rest?",
        "router lamp",
        "die hard",
    ],
    "german": ["Wo steht der alte Leuchtturm?", "Wie lange muss der Teig ruhen?"],
    "spanish": ["¿Dónde está el viejo faro?", "cuánto tiempo hay que dejar reposar la masa"],
    "turkish": ["Eski deniz feneri nerede?", "Hamuru kaç saat dinlendirmek gerekir?"],
    "vietnamese": ["Ngọn hải đăng cũ nằm ở đâu?", "Phải để bột nghỉ bao lâu?"],
    "romanian": ["Unde este vechiul far?", "Cât timp se lasă aluatul la odihnit?"],
    "french": ["Où est le vieux phare ?", "combien de temps laisser la pâte au repos"],
    "dutch": ["Waar staat de oude vuurtoren?", "hoe lang moet het deeg rusten"],
    "portuguese": ["Onde fica o velho farol?", "Quanto tempo a massa deve descansar?"],
    "czech": ["Kde stojí starý maják?", "Jak dlouho má těsto odpočinout?"],
    "indonesian": ["Di mana mercusuar tua itu?", "Berapa lama adonan harus didiamkan?"],
}
